import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseChangelog } from './changelog.ts'
import { withVersion } from './versions.ts'

// `node scripts/releases/prepare.ts VERSION DATE` sets the version of all packages, of the installers and in the
// documentation, and moves the entries of the changelog. `scripts/release prepare` calls it.

const [version = '', date = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('usage: prepare.ts VERSION DATE, with a version such as 0.3.0')

const root = join(import.meta.dirname, '../..')
const edit = (path: string, change: (text: string) => string) => {
  const file = join(root, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

const { version: previous } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const installers = execFileSync('git', ['ls-files', '-z', 'README.md', 'deploy', 'docs'], {
  cwd: root,
  encoding: 'utf8',
})
for (const path of installers.split('\0').filter((file) => /[.](?:md|ya?ml|tf|json|env|service|txt)$/.test(file)))
  edit(path, (text) => withVersion(text, previous, version))
for (const path of ['package.json', ...globSync('packages/*/package.json', { cwd: root })])
  edit(path, (text) => text.replaceAll(/("version"|"@sluice\/[a-z-]+"): "\d+\.\d+\.\d+"/g, `$1: "${version}"`))
edit('deploy/helm/Chart.yaml', (text) => text.replaceAll(/^((?:app)?[vV]ersion): .*$/gm, `$1: ${version}`))
edit('CHANGELOG.md', (text) => releaseChangelog(text, version, date))
const lockOnly = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
execFileSync('npm', lockOnly, { cwd: root, stdio: 'inherit' })
