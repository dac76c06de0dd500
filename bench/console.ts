import type { Browser, BrowserContext, CDPSession } from 'playwright-core'
import { browserPath, openBrowser } from '../e2e/browser.ts'
import { type Demo, startDemo } from '../e2e/demo.ts'
import { budget, flags, percentile, publish, round } from './report.ts'

const { runs, slower, mbit, latency } = flags({ runs: 9, slower: 4, mbit: 10, latency: 40 })

/** Times since the navigation began, in milliseconds, and transferred data. */
type Opened = { paintedMs: number; readyMs: number; scriptMs: number; requests: number; kB: number }

/**
 * Script that runs in the page from its start. The page counts as interactive in the first frame in which the Continue
 * button is enabled and clickable.
 */
const watch = `(() => {
  const look = () => {
    const button = [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('Continue'))
    const { x, y, width, height } = button?.getBoundingClientRect() ?? {}
    const isReady = button && !button.disabled && !button.ariaDisabled && button.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    if (isReady) window.readyMs = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

if (browserPath === undefined)
  throw new Error('There is no browser: install chromium, or name one in SLUICE_TEST_BROWSER.')
const demo = await startDemo()
const browser = await openBrowser()
try {
  await compare(demo, browser)
} finally {
  await browser.close()
  await demo.stop()
}

async function compare(demo: Demo, browser: Browser): Promise<void> {
  const session = await signIn(demo, browser)
  const page = `${demo.url}/console/deployments/${await pausedDeployment(demo, session)}`
  const storageState = await session.storageState()
  const cold: Opened[] = []
  const warm: Opened[] = []
  // The first page load warms up the service.
  await open(page, await browser.newContext({ storageState, bypassCSP: true }))
  for (let run = 0; run < runs; run++) {
    const context = await browser.newContext({ storageState, bypassCSP: true })
    cold.push(await open(page, context))
    warm.push(await open(page, context))
    await context.close()
  }
  const row = (what: string, opened: readonly Opened[]) => {
    const middle = (name: keyof Opened) =>
      round(
        percentile(
          opened.map((one) => one[name]),
          0.5,
        ),
      )
    return {
      opened: what,
      'first paint ms': middle('paintedMs'),
      'interactive ms': middle('readyMs'),
      'slowest ms': round(Math.max(...opened.map(({ readyMs }) => readyMs))),
      'of it script ms': middle('scriptMs'),
      requests: middle('requests'),
      'kB over the line': middle('kB'),
    }
  }
  const readyMs = percentile(
    cold.map((one) => one.readyMs),
    0.5,
  )
  await publish({
    name: 'console',
    what: [
      `The page of a paused deployment, opened by its address by somebody who is signed in, ${runs} times: from the start of the`,
      'navigation to the first frame in which Continue can be clicked. In Chromium, its processor slowed down',
      `${slower} times, ${mbit} Mbit/s and ${latency} ms to the answer of each request; medians, but for the slowest.`,
    ],
    rows: [
      { ...row('with an empty cache', cold), budget: budget(readyMs, (ms) => ms < 1_000, '< 1 s') },
      row('again', warm),
    ],
  })
}

async function signIn({ url, email, password }: Demo, browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ extraHTTPHeaders: { origin: url } })
  const answer = await context.request.post(`${url}/auth/login`, { data: { data: { email, password } } })
  if (!answer.ok()) throw new Error(`Signing in: ${answer.status()} ${await answer.text()}`)
  return context
}

/** Releases the demo's canary and returns the id of its paused deployment. */
async function pausedDeployment({ url }: Demo, { request }: BrowserContext): Promise<string> {
  const instances = await (await request.get(`${url}/module-instances?limit=100`)).json()
  const { id: moduleInstanceId } = instances.data.find(({ name }: { name: string }) => name === 'web')
  const data = { moduleInstanceId, description: 'To be looked at', inputs: { image_ref: '2.0.0' } }
  const { data: made } = await (await request.post(`${url}/deployments`, { data: { data } })).json()
  for (let seen = ''; !seen.includes('"PAUSED"'); )
    seen = await (await request.get(`${url}/deployments/${made.id}`)).text()
  return made.id
}

/** Opens the page with the speed of a slow laptop, until it is interactive. */
async function open(address: string, context: BrowserContext): Promise<Opened> {
  const page = await context.newPage()
  const devTools = await context.newCDPSession(page)
  await slowDown(devTools)
  let bytes = 0
  let requests = 0
  devTools.on('Network.requestWillBeSent', () => requests++)
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await page.addInitScript(watch)
  await page.goto(address, { waitUntil: 'commit' })
  // The paint entry appears a moment later.
  await page.waitForFunction(`window.readyMs && performance.getEntriesByName('first-contentful-paint').length > 0`)
  const { metrics } = await devTools.send('Performance.getMetrics')
  const opened = {
    paintedMs: await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`),
    readyMs: await page.evaluate<number>('window.readyMs'),
    scriptMs: 1_000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN),
    requests,
    kB: bytes / 1_000,
  }
  await page.close()
  return opened
}

async function slowDown(devTools: CDPSession): Promise<void> {
  const bytesPerSecond = (mbit * 1_000_000) / 8
  await devTools.send('Network.enable')
  await devTools.send('Performance.enable')
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slower })
}
