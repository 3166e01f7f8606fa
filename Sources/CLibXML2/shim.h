#include <libxml/xmlversion.h>
// With ICU, the library's headers include ICU's, which contradict the ICU that Foundation brings as a module.
// Only the layout of encoding handlers depends on it, and nothing here reads one.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>

static void fathom_xml_discard(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

// Messages that the library would print itself. Its callback has variable arguments, which Swift cannot declare.
static inline void fathom_xml_print_nothing(void) { xmlSetGenericErrorFunc(NULL, fathom_xml_discard); }
