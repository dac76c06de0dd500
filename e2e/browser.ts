import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** First the one that draws no windows: it takes a quarter to a half of the processor time less. */
const usualPlaces = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/** A browser that is installed; `SLUICE_TEST_BROWSER` names another one. */
export const browserPath = [process.env.SLUICE_TEST_BROWSER, ...usualPlaces].find(
  (path): path is string => path !== undefined && path !== '' && existsSync(path),
)

export const openBrowser = (): Promise<Browser> =>
  // Tests run as root in containers, where the browser's own sandbox cannot.
  chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] })
