// What a LaTeX file defines, by symbol. Written by tools/page_definitions.py.

export const DEFINITIONS = {
  "\\xlongequal": "\\makeatletter\\providecommand{\\xlongequal}[2][]{\\ext@arrow 0099{\\arrowfill@\\Relbar\\Relbar\\Relbar}{#1}{#2}}\\makeatother",
  "\\xleftrightarrow": "\\makeatletter\\providecommand{\\xleftrightarrow}[2][]{\\ext@arrow 0099{\\arrowfill@\\leftarrow\\relbar\\rightarrow}{#1}{#2}}\\makeatother",
  "\\xRightarrow": "\\makeatletter\\providecommand{\\xRightarrow}[2][]{\\ext@arrow 0099{\\arrowfill@\\Relbar\\Relbar\\Rightarrow}{#1}{#2}}\\makeatother",
  "\\xLeftarrow": "\\makeatletter\\providecommand{\\xLeftarrow}[2][]{\\ext@arrow 0099{\\arrowfill@\\Leftarrow\\Relbar\\Relbar}{#1}{#2}}\\makeatother",
  "\\xLeftrightarrow": "\\makeatletter\\providecommand{\\xLeftrightarrow}[2][]{\\ext@arrow 0099{\\arrowfill@\\Leftarrow\\Relbar\\Rightarrow}{#1}{#2}}\\makeatother",
  "\\xmapsto": "\\makeatletter\\providecommand{\\xmapsto}[2][]{\\ext@arrow 0099{\\arrowfill@{\\mapstochar\\relbar}\\relbar\\rightarrow}{#1}{#2}}\\makeatother",
  "\\xhookrightarrow": "\\makeatletter\\providecommand{\\xhookrightarrow}[2][]{\\ext@arrow 0099{\\arrowfill@{\\lhook\\joinrel\\relbar}\\relbar\\rightarrow}{#1}{#2}}\\makeatother",
  "\\xrightleftharpoons": "\\providecommand{\\xrightleftharpoons}[2][]{\\mathrel{\\mathop{\\rightleftharpoons}\\limits^{#2}_{#1}}}",
  "\\wideparen": "\\providecommand{\\wideparen}[1]{\\overset{\\frown}{#1}}",
  "\\argmax": "\\providecommand{\\argmax}{\\operatorname*{argmax}}",
  "\\argmin": "\\providecommand{\\argmin}{\\operatorname*{argmin}}",
  "\\oiint": "\\providecommand{\\oiint}{\\oint\\mkern-12mu\\oint}",
  "\\mathscr": "\\providecommand{\\mathscr}{\\mathcal}",
  "\\omicron": "\\providecommand{\\omicron}{o}",
  "rcases": "\\ifdefined\\rcases\\else\\newenvironment{rcases}{\\left.\\begin{aligned}}{\\end{aligned}\\right\\}}\\fi",
  "、": "\\ifdefined\\Umathcode\\catcode`、=13 \\def、{\\ensuremath{{{}_{\\backprime}}}}\\else\\expandafter\\def\\csname u8:\\detokenize{、}\\endcsname{\\ensuremath{{{}_{\\backprime}}}}\\fi",
  "。": "\\ifdefined\\Umathcode\\catcode`。=13 \\def。{\\ensuremath{{{}_{\\circ}}}}\\else\\expandafter\\def\\csname u8:\\detokenize{。}\\endcsname{\\ensuremath{{{}_{\\circ}}}}\\fi"
};
