import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** A browser that is installed; `SLUICE_TEST_BROWSER` names another one. */
export const browserPath = [process.env.SLUICE_TEST_BROWSER, ...usualPlaces].find(
  (path): path is string => path !== undefined && path !== '' && existsSync(path),
)

export const openBrowser = (): Promise<Browser> =>
  // Tests run as root in containers, where the browser's own sandbox cannot.
  chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] })
