// The program in a browser: `browser.mjs PAGE`, in the folder that has the packed client and the program. The page
// comes from PAGE, an origin that the service lets in, and loads the modules as they are: nothing is bundled for it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const page = process.argv[2] ?? ''
const { SLUICE_URL: baseUrl = '', SLUICE_TOKEN: token = '', BROWSER_PROGRAM } = process.env
const imports = {
  '@sluice/client': '/node_modules/@sluice/client/dist/index.js',
  'eventsource-parser/stream': '/node_modules/eventsource-parser/dist/stream.js',
}
const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>`

const browser = await chromium.launch({
  executablePath: BROWSER_PROGRAM,
  args: ['--no-sandbox', '--disable-features=LocalNetworkAccessChecks'],
})
try {
  const tab = await browser.newPage()
  await tab.route(`${page}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html })
    await route.fulfill({ contentType: 'text/javascript', body: await readFile(join(process.cwd(), pathname)) })
  })
  await tab.goto(`${page}/`)
  await tab.evaluate(async ({ program, service }) => (await import(program)).tryOut(service, 'browser'), {
    program: '/program.mjs',
    service: { baseUrl, token },
  })
} finally {
  await browser.close()
}
