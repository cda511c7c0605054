// Visible text whose colour is too close to what lies behind it: WCAG 2, level AA.

/** Sentences like "3.2:1 for “Queue”"; none when all is well. */
export function lowContrast(page) {
  return page.evaluate(() => {
    // "rgb(…)" counts to 255, "color(srgb …)", which mixed colours are, to 1.
    function channels(colour) {
      const numbers = colour.match(/[\d.]+/g).map(Number);
      return colour.startsWith('color(srgb') ? numbers.map((value, i) => (i < 3 ? 255 * value : value)) : numbers;
    }
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = ([red, green, blue]) =>
      0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);

    function behind(node) {
      for (let at = node; at; at = at.parentElement) {
        const colour = channels(getComputedStyle(at).backgroundColor);
        if (colour[3] !== 0) return colour;
      }
      return [255, 255, 255];
    }

    function ratio(node) {
      const style = getComputedStyle(node);
      const front = luminance(channels(node instanceof SVGElement ? style.fill : style.color));
      const back = luminance(behind(node));
      return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    }

    const ownText = (node) =>
      [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim() !== '');
    return [...document.body.querySelectorAll('*')]
      .filter((node) => !node.matches('script, option') && ownText(node) && node.checkVisibility())
      .filter((node) => ratio(node) < 4.5)
      .map((node) => `${ratio(node).toFixed(1)}:1 for “${node.textContent}”`);
  });
}
