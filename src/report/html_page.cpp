#include "report/html_page.h"

#include <fmt/format.h>

#include <string_view>

#include "report/plot/figure.h"
#include "report/plot/markup.h"

namespace headroom::report {
namespace {

// Colours are those of the figures, so that text and drawing are one page.
constexpr std::string_view page_style = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--quiet:#59636e;--rule:#d5dbe1;
--panel:#f4f6f8;--accent:#0072b2;--right:#00705a;--wrong:#b34700}
@media screen and (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--quiet:#9aa4af;
--rule:#2d343d;--panel:#161b22;--accent:#4ba3e3;--right:#2fc39a;--wrong:#f0803c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1.25rem 3rem;background:var(--paper);
color:var(--ink);font:16px/1.55 system-ui,sans-serif}
h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.4rem;line-height:1.25;margin:3rem 0 .5rem;padding-top:1rem;
border-top:2px solid var(--rule)}
h3{font-size:1.1rem;margin:2.25rem 0 .5rem}
p{margin:.6rem 0;max-width:46rem}
a{color:var(--accent)}
nav ul{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin:.25rem 0 .75rem;padding:0;
list-style:none}
nav p{margin:.5rem 0 0;font-weight:600}
.quiet,figcaption,.about{color:var(--quiet)}
.wide{overflow-x:auto}
figure{margin:1rem 0 1.5rem}
figure svg{display:block;max-width:100%;height:auto}
figcaption{font-size:.9rem;max-width:46rem}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;margin:.75rem 0}
th,td{padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--quiet);font-weight:600}
.words{text-align:left}
.number{text-align:right;white-space:nowrap}
pre{background:var(--panel);border-radius:6px;padding:.6rem .8rem;margin:.25rem 0 1rem;
font:.85rem/1.5 ui-monospace,monospace}
.about{margin:.75rem 0 .25rem}
.key-numbers{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.75rem;
margin:1.25rem 0}
.key-numbers div{display:flex;flex-direction:column-reverse;justify-content:flex-end;
background:var(--panel);border-radius:8px;padding:.7rem .9rem}
.key-numbers dd{margin:0;font-size:1.25rem;font-weight:600;line-height:1.3;white-space:nowrap;
font-variant-numeric:tabular-nums}
.key-numbers dt{color:var(--quiet);font-size:.85rem;line-height:1.35}
.example{border-left:3px solid var(--rule);padding:.1rem 0 .1rem .9rem;margin:1.1rem 0}
.example p{margin:.2rem 0;unicode-bidi:isolate;overflow-wrap:anywhere}
.example ul{list-style:none;margin:.3rem 0 0;padding:0;font-size:.9rem}
.right{color:var(--right)}
.wrong{color:var(--wrong)}
footer{margin-top:3rem;padding-top:.75rem;border-top:1px solid var(--rule);font-size:.85rem;
color:var(--quiet)}
@media screen and (max-width:42rem){figure svg{max-width:none}}
@media print{body{max-width:none;padding:0;font-size:10.5pt}nav{display:none}
figure,tr,.example,.key-numbers div{break-inside:avoid}h2,h3,figcaption{break-after:avoid}
.wide{overflow:visible}figure svg{max-height:16cm}pre{white-space:pre-wrap}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)";

std::string anchor(size_t chapter, const Section& section) {
  return fmt::format("part-{}-{}", chapter + 1, section.id);
}

bool has_content(const Section& section) {
  return !section.body.empty();
}

void write_head(MarkupWriter& html, const Page& page) {
  html.open("head");
  html.leaf("meta", {{"charset", "utf-8"}});
  html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.leaf("meta", {{"http-equiv", "Content-Security-Policy"},
                     {"content", "default-src 'none'; style-src 'unsafe-inline'"}});
  html.text("title", {}, page.title);
  html.open("style");
  html.raw(page_style);
  html.raw(figure_style());
  html.close();
  html.close();
}

void write_contents(MarkupWriter& html, const Page& page) {
  html.open("nav", {{"aria-label", "Contents"}});
  for (size_t c = 0; c < page.chapters.size(); ++c) {
    const Chapter& chapter = page.chapters[c];
    if (page.chapters.size() > 1) html.text("p", {}, chapter.title);
    html.open("ul");
    for (const Section& section : chapter.sections) {
      if (!has_content(section)) continue;
      html.open("li");
      html.text("a", {{"href", fmt::format("#{}", anchor(c, section))}}, section.title);
      html.close();
    }
    html.close();
  }
  html.close();
}

void write_chapter(MarkupWriter& html, const Page& page, size_t number) {
  const Chapter& chapter = page.chapters[number];
  // A single chapter is the page: its title would only repeat the page's.
  if (page.chapters.size() > 1) html.text("h2", {}, chapter.title);
  if (!chapter.lead.empty()) html.text("p", {{"class", "quiet"}}, chapter.lead);
  for (const Section& section : chapter.sections) {
    if (!has_content(section)) continue;
    html.open("section", {{"id", anchor(number, section)}});
    html.text("h3", {}, section.title);
    html.raw(section.body);
    html.close();
  }
}

}  // namespace

std::string write_html(const Page& page) {
  MarkupWriter html;
  html.raw("<!DOCTYPE html>\n");
  html.open("html", {{"lang", "en"}});
  write_head(html, page);
  html.open("body");
  html.open("main");
  html.text("h1", {}, page.title);
  write_contents(html, page);
  for (size_t c = 0; c < page.chapters.size(); ++c) write_chapter(html, page, c);
  html.close();
  html.open("footer");
  html.text("p", {}, page.made);
  if (!page.command.empty()) html.text("pre", {{"class", "wide"}}, page.command);
  return html.finish();
}

}  // namespace headroom::report
