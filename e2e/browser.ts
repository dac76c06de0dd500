import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Maximum time for a page to show something, in milliseconds. It ends only tests that hang, also on a slow machine. */
export const pageTimeoutMs = 150_000

/** Prefers the headless shell: it needs 25 to 50 % less processor time. */
const usualPlaces = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/** Path of an installed browser. `SLUICE_TEST_BROWSER` overrides it. */
export const browserPath = [process.env.SLUICE_TEST_BROWSER, ...usualPlaces].find(
  (path): path is string => path !== undefined && path !== '' && existsSync(path),
)

export const openBrowser = (): Promise<Browser> =>
  // Tests run as root in containers, where the browser's own sandbox doesn't work.
  chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] })
