import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

// In the checkout a package is its TypeScript, in a tarball what was compiled of it. npm has one package.json for both:
// so `publish`, before it packs, puts what stands under `publishConfig` in the place of the rest, as other package
// managers do by themselves, and `restore` puts back what was there.

const manifest = 'package.json'
const aside = 'package.source.json' // stays where packing was interrupted, and counts until it is restored

const wish = process.argv[2]
if (wish !== 'publish' && wish !== 'restore') throw new Error('manifest.ts takes publish or restore')
if (existsSync(aside)) renameSync(aside, manifest)
if (wish === 'publish') {
  const text = readFileSync(manifest, 'utf8')
  const { publishConfig, devDependencies: _, scripts: __, ...rest } = JSON.parse(text) as Record<string, unknown>
  writeFileSync(aside, text)
  writeFileSync(manifest, `${JSON.stringify({ ...rest, ...Object(publishConfig) }, null, 2)}\n`)
}
