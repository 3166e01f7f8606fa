#include <libxml/parser.h>

static void fathom_xml_discard(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

// Messages that the library would print itself. Its callback has variable arguments, which Swift cannot declare.
static inline void fathom_xml_print_nothing(void) { xmlSetGenericErrorFunc(NULL, fathom_xml_discard); }
