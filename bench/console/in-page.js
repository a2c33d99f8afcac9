// Runs in the page before its own scripts.
{
  let drawings = 0;
  for (const context of [CanvasRenderingContext2D, WebGLRenderingContext, WebGL2RenderingContext]) {
    for (const name of ['clearRect', 'fill', 'stroke', 'drawElements', 'drawArrays']) {
      const draw = context.prototype[name];
      if (draw === undefined) continue;
      context.prototype[name] = function (...values) {
        drawings++;
        return draw.apply(this, values);
      };
    }
  }

  let longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: 'long-animation-frame' });

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    dispatchEvent(new Event('theme'));
  });

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let response = Promise.resolve(Number.NaN);

  globalThis.probe = {
    /** The next event of the type starts the clock; the frame after the one that shows its effect stops it. */
    expect(type, isShown) {
      longest = 0;
      response = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`no response to ${type}: ${isShown}`)), 20_000);
        const start = async ({ timeStamp }) => {
          const before = drawings;
          await nextFrame();
          // Continues before the map draws in a frame, so it sees what the frame before has shown.
          do await nextFrame();
          while (!isShown(drawings > before));
          resolve(performance.now() - timeStamp);
        };
        addEventListener(type, start, { capture: true, once: true });
      });
    },
    response: () => response,
    /** Waits until nothing is drawn any more. Returns the longest frame since the event; 0 below 50 ms. */
    async quiet() {
      for (let seen = -1; seen !== drawings; ) {
        seen = drawings;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      return longest;
    },
  };
}
