#include "CPageAssets.h"

static const unsigned char page_html[] = {
#embed "files/page.html"
};
static const unsigned char page_css[] = {
#embed "files/page.css"
};
static const unsigned char page_js[] = {
#embed "files/page.js"
};
static const unsigned char row_js[] = {
#embed "files/row.js"
};
static const unsigned char detail_js[] = {
#embed "files/detail.js"
};
static const unsigned char alarms_js[] = {
#embed "files/alarms.js"
};
static const unsigned char earlier_js[] = {
#embed "files/earlier.js"
};
static const unsigned char episodes_js[] = {
#embed "files/episodes.js"
};
static const unsigned char series_js[] = {
#embed "files/series.js"
};
static const unsigned char table_js[] = {
#embed "files/table.js"
};
static const unsigned char trend_js[] = {
#embed "files/trend.js"
};
static const unsigned char dive_js[] = {
#embed "files/dive.js"
};
static const unsigned char head_js[] = {
#embed "files/head.js"
};
static const unsigned char parts_js[] = {
#embed "files/parts.js"
};
static const unsigned char plot_js[] = {
#embed "files/plot.js"
};
static const unsigned char run_js[] = {
#embed "files/run.js"
};
static const unsigned char sets_js[] = {
#embed "files/sets.js"
};
static const unsigned char swing_js[] = {
#embed "files/swing.js"
};
static const unsigned char text_js[] = {
#embed "files/text.js"
};
static const unsigned char favicon_svg[] = {
#embed "files/favicon.svg"
};

#define ASSET(path, type, bytes) {path, type, bytes, sizeof bytes}

static const fathom_asset assets[] = {
    ASSET("/", "text/html; charset=utf-8", page_html),
    ASSET("/page.css", "text/css; charset=utf-8", page_css),
    ASSET("/page.js", "text/javascript; charset=utf-8", page_js),
    ASSET("/row.js", "text/javascript; charset=utf-8", row_js),
    ASSET("/detail.js", "text/javascript; charset=utf-8", detail_js),
    ASSET("/alarms.js", "text/javascript; charset=utf-8", alarms_js),
    ASSET("/earlier.js", "text/javascript; charset=utf-8", earlier_js),
    ASSET("/episodes.js", "text/javascript; charset=utf-8", episodes_js),
    ASSET("/series.js", "text/javascript; charset=utf-8", series_js),
    ASSET("/table.js", "text/javascript; charset=utf-8", table_js),
    ASSET("/trend.js", "text/javascript; charset=utf-8", trend_js),
    ASSET("/dive.js", "text/javascript; charset=utf-8", dive_js),
    ASSET("/head.js", "text/javascript; charset=utf-8", head_js),
    ASSET("/parts.js", "text/javascript; charset=utf-8", parts_js),
    ASSET("/plot.js", "text/javascript; charset=utf-8", plot_js),
    ASSET("/run.js", "text/javascript; charset=utf-8", run_js),
    ASSET("/sets.js", "text/javascript; charset=utf-8", sets_js),
    ASSET("/swing.js", "text/javascript; charset=utf-8", swing_js),
    ASSET("/text.js", "text/javascript; charset=utf-8", text_js),
    ASSET("/favicon.svg", "image/svg+xml", favicon_svg),
    // What browsers ask for by themselves.
    ASSET("/favicon.ico", "image/svg+xml", favicon_svg),
};

size_t fathom_asset_count(void) { return sizeof assets / sizeof *assets; }

fathom_asset fathom_asset_at(size_t index) { return assets[index]; }
