import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

// Prepares package.json for packing. In the checkout a package consists of TypeScript, in a tarball of compiled files.
// `publish` replaces fields by those in `publishConfig`, as other package managers do; `restore` reverts that.

const manifest = 'package.json'
const aside = 'package.source.json' // remains after an interrupted pack, and is used until it is restored

const wish = process.argv[2]
if (wish !== 'publish' && wish !== 'restore') throw new Error('manifest.ts takes publish or restore')
if (existsSync(aside)) renameSync(aside, manifest)
if (wish === 'publish') {
  const text = readFileSync(manifest, 'utf8')
  const { publishConfig, devDependencies: _, scripts: __, ...rest } = JSON.parse(text) as Record<string, unknown>
  writeFileSync(aside, text)
  writeFileSync(manifest, `${JSON.stringify({ ...rest, ...Object(publishConfig) }, null, 2)}\n`)
}
