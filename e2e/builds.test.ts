import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestSite } from '../packages/server/src/testing/static-site.ts'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser } from './browser.ts'
import { checkPage } from './check-page.ts'
import { signedIn } from './signed-in.ts'

let world: World
let browser: Browser
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

/** Creates a static site and a run that has built it. */
async function builtSite(org: TestOrganization) {
  const destination = { type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1', directory: 'releases' }
  const site = await createTestSite(world, org, {
    releases: [],
    build: {
      type: 'static',
      source: { type: 'git', repo: 'https://github.com/acme/site' },
      builder: { type: 'commands', build_cmd: 'mkdir dist && cp index.html dist', output_directory: 'dist' },
      destinations: [{ id: 'pages', ...destination }],
      infrastructure: { cloud_account_id: org.cloudAccountId },
    },
  })
  const source = { files: { 'index.html': '<h1>Shop</h1>' } }
  const run = await org.pipelines.run([
    { id: 'build', type: 'build', with: { module_instance_id: site.moduleInstanceId, source } },
  ])
  expect(await org.pipelines.untilOver(run.id, 60_000)).toMatchObject({ status: 'SUCCESS' })
  return { site, run }
}

test('the artifacts page of an instance links builds and deployments, and deploys an artifact', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  const org = await world.organization()
  await org.member('VIEWER')
  const { site, run } = await builtSite(org)
  const page = await signedIn({ world, browser, complaints }, org)
  const address = `${world.url}/console/instances/${site.moduleInstanceId}?tab=artifacts`
  await page.goto(address)
  const artifacts = page.getByRole('table', { name: 'Artifacts' })
  await artifacts.getByRole('cell', { name: /^\d+ B$/ }).waitFor()
  expect(await artifacts.getByRole('link').first().getAttribute('href')).toContain(`/console/runs/${run.id}`)
  await checkPage(page, 'artifacts')

  await artifacts.getByRole('button', { name: /^Deploy this artifact/ }).click()
  await page.waitForURL(/\/console\/deployments\/dep_/)
  await page.getByRole('heading', { level: 1, name: /production/ }).waitFor()
  await untilPasses(async () => expect(await site.active()).toMatch(/^releases\//))
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await org.untilStatus(id, 'SUCCESS')
  await page.goto(address)
  await artifacts.getByRole('link', { name: 'production' }).waitFor()

  const viewer = await signedIn({ world, browser, complaints }, org, 'VIEWER')
  await viewer.goto(address)
  const kept = viewer.getByRole('button', { name: /^Deploy this artifact/ })
  await untilPasses(async () => expect(await kept.getAttribute('aria-disabled')).toBe('true'))
  expect(complaints).toEqual([])
})
