import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserPath, openBrowser, pageTimeoutMs } from './browser.ts'
import { type Demo, startDemo } from './demo.ts'

const hasTool = ['terraform', 'tofu'].some((tool) => spawnSync(tool, ['version']).status === 0)
const run = promisify(execFile)

let demo: Demo
let browser: Browser
let page: Page
let folder: string
const complaints: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-e2e-push-'))
  if (browserPath === undefined || !hasTool) return
  demo = await startDemo()
  browser = await openBrowser()
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  page.setDefaultTimeout(pageTimeoutMs)
  page.on('pageerror', ({ message }) => complaints.push(message))
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
  await rm(folder, { recursive: true, force: true })
})

const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.com',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.com',
}
const git = async (...args: string[]) => (await run('git', args, { cwd: folder, env: environment })).stdout.trim()

/** Pushes a change to the demo's repository, as the welcome text describes, and returns the commit. */
async function push(cloneUrl: string): Promise<string> {
  await git('clone', '--quiet', cloneUrl, '.')
  const file = join(folder, 'function/index.mjs')
  await writeFile(file, (await readFile(file, 'utf8')).replace('Hello', 'Welcome'))
  await git('commit', '--quiet', '--all', '--message', 'Welcome people')
  await git('push', '--quiet')
  return git('rev-parse', 'HEAD')
}

const step = (name: string) => page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name }).click()

test('a push to the demo is built, planned, approved and released as a canary', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  skip(!hasTool, 'skipped: terraform')
  const { cloneUrl } = demo
  if (cloneUrl === undefined) return skip('skipped: git')
  await page.goto(demo.url)
  await page.getByLabel('Email').fill(demo.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(demo.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pipelines' }).click()
  await page.getByRole('region', { name: 'All pipelines' }).getByRole('link', { name: 'Deliver' }).click()
  await page.getByRole('button', { name: 'Start run', exact: true }).waitFor()

  const commit = await push(cloneUrl)
  await page.locator('a[href*="/console/runs/run_"]').first().click()
  await page.getByText(`Apply the plan, then release ${commit} to production?`).first().waitFor()
  const commitUrl = `${new URL(cloneUrl).origin}/shop/greeting/-/commit/${commit}`
  const ofApproval = page.getByRole('link', { name: commit.slice(0, 10) }).first()
  expect(await ofApproval.getAttribute('href')).toBe(commitUrl)
  await step('Build the function')
  await page.getByRole('region', { name: 'Build the function' }).getByText('Success', { exact: true }).waitFor()
  await step('Apply the plan')
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const apply = page.getByRole('region', { name: 'Apply the plan' })
  await apply.getByText('Success', { exact: true }).waitFor()

  await step('Release to production')
  const release = page.getByRole('region', { name: 'Release to production' })
  await release.getByText('Paused: waiting for you').waitFor()
  await release.getByRole('link', { name: 'View deployment' }).click()
  await page.getByRole('button', { name: 'Continue: 0 % → 10 %', exact: true }).click()
  await page.getByText('Invocations through live: 90 % previous, 10 % new').waitFor()
  const [shown] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'View source' }).click(),
  ])
  await shown.getByRole('heading', { name: 'Welcome people', level: 1 }).waitFor()
  expect(shown.url()).toBe(commitUrl)
  expect(complaints).toEqual([])
})
