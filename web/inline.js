// Vite plugin: puts script and style into the document, allows exactly these two by their hashes in
// a Content-Security-Policy, and notes which sources the document was built from.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';

const sha256 = (text) => createHash('sha256').update(text).digest('base64');

function policy(script, style) {
  return [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script)}'`,
    `style-src 'sha256-${sha256(style)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

// The browser hashes what stands between the tags, so the text must go in untouched: replacement
// functions, because "$&" in minified code would otherwise be expanded.
function inlined(html, script, style, digest) {
  return html
    .replace(/<script type="module"[^>]*><\/script>/, '')
    .replace(/<link rel="stylesheet"[^>]*>/, '')
    .replace(/\n\s*/g, '') // indentation; spaces that part words stand inside a line
    .replace('<!-- policy -->', () =>
      `<meta http-equiv="Content-Security-Policy" content="${policy(script, style)}">`)
    .replace('</head>', () => `<style>${style}</style>\n</head>`)
    .replace('</body>', () => `<script type="module">${script}</script>\n</body>`)
    .replace('<!-- sources -->', () => `<!-- built from web/ by make page, sources ${digest} -->`);
}

export function inlineEverything() {
  return {
    name: 'inline-everything',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const pieces = Object.values(bundle);
      const script = pieces.find((piece) => piece.type === 'chunk');
      const style = pieces.find((piece) => piece.fileName.endsWith('.css'));
      const page = pieces.find((piece) => piece.fileName === 'index.html');
      if (pieces.length !== 3) this.error(`expected one script, one style and one page`);
      const digest = execFileSync('../scripts/check-page', ['--digest']).toString().trim();
      page.source = inlined(page.source, script.code.trim(), String(style.source).trim(), digest);
      delete bundle[script.fileName];
      delete bundle[style.fileName];
    },
  };
}
