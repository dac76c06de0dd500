import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { directory } from '@sluice/guide/directory'
import { expect, onTestFinished, test } from 'vitest'

const guide = dirname(directory)

/** Builds a guide with one page, using our settings and theme. */
function buildWith(page: string) {
  const root = mkdtempSync(join(guide, 'pages-of-test-')) // inside the package, to find its dependencies
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const file of ['package.json', 'search-options.ts', '.vitepress/config.ts', '.vitepress/theme'])
    cpSync(join(guide, file), join(root, file), { recursive: true })
  mkdirSync(join(root, 'pages'))
  writeFileSync(join(root, 'pages/index.md'), '# Contents\n\n## Pages\n\n- [Page](page.md)\n')
  writeFileSync(join(root, 'pages/page.md'), page)
  const vitepress = join(guide, '../../node_modules/vitepress/bin/vitepress.js')
  return spawnSync(process.execPath, [vitepress, 'build'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
}

test('an invalid page fails the build of the guide', () => {
  const { status, stdout, stderr } = buildWith('# Page\n\n<p>{{ must_env.name }}</p>\n')
  expect(status, stdout + stderr).not.toBe(0)
  expect(stdout + stderr).toContain('TypeError')
})

test('a page with the braces of another template language is built', () => {
  const { status, stdout, stderr } = buildWith('# Page\n\nWrite ``{{ must_env `NAME` }}``.\n')
  expect(status, stdout + stderr).toBe(0)
})
