import { hash } from 'node:crypto'
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Rollup } from 'vite'
import { licenceOf, licences } from '../../../scripts/bundling.ts'
import { directory } from '../directory.ts'
import { type Assets, layOut } from './layout.ts'
import { type RenderedPage, renderPage } from './markdown.ts'
import { contentsOf, root, type Source, sources } from './pages.ts'
import { type Entry, makeIndex } from './search.ts'

// Renders the documents of the repository as a static site in `dist`: `npm run build -w @sluice/guide`. A document that
// cannot be rendered fails the build.

const pages = sources.map((source) => ({ source, rendered: renderPage(source.path, source.markdown) }))
const contents = contentsOf(readFileSync(join(root, 'docs/README.md'), 'utf8'))

const diagramLibrary = createRequire(import.meta.url).resolve('@mermaid-js/tiny')
const client = await buildClient()
const assets: Assets = {
  ...client,
  searchIndex: writeAsset('search-index.json', makeIndex(pages.flatMap(entriesOf))),
  diagrams: writeAsset('diagrams.js', readFileSync(diagramLibrary, 'utf8')),
}
appendFileSync(join(directory, 'LICENSES.txt'), `\n\n---\n\n${licenceOf(join(dirname(diagramLibrary), '..'))}\n`)
for (const { source, rendered } of pages)
  writeFileSync(join(directory, source.page), layOut({ page: source.page, rendered, contents, assets }))
for (const file of new Set(pages.flatMap(({ rendered }) => rendered.downloads)))
  copyFileSync(join(root, file), join(directory, basename(file)))

/** Bundles the script and the styles of the pages. Empties `dist` first. */
async function buildClient(): Promise<Pick<Assets, 'script' | 'style'>> {
  const result = (await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [licences()],
    root: fileURLToPath(new URL('.', import.meta.url)),
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: 'es2022',
      rollupOptions: {
        input: 'client/main.ts',
        output: { entryFileNames: 'assets/[name].[hash].js', assetFileNames: 'assets/[name].[hash][extname]' },
      },
    },
  })) as Rollup.RollupOutput
  const named = (ending: string) => result.output.find(({ fileName }) => fileName.endsWith(ending))?.fileName ?? ''
  return { script: named('.js'), style: named('.css') }
}

/** Writes a file whose name changes with its content, and returns its address. */
function writeAsset(name: string, content: string): string {
  const fileName = `assets/${name.replace('.', `.${hash('sha256', content).slice(0, 8)}.`)}`
  writeFileSync(join(directory, fileName), content)
  return fileName
}

function entriesOf({ source, rendered }: { source: Source; rendered: RenderedPage }): Entry[] {
  if (!source.isSearched) return []
  const { sections } = rendered
  return sections.map((section, index) => ({
    id: `${source.page}#${section.anchor}`,
    title: section.title,
    parents: parentsOf(sections.slice(0, index), section.level).join(' › '),
    text: section.text,
  }))
}

/** Returns the titles of the sections around a section of `level`, which comes after `before`; the outermost first. */
function parentsOf(before: RenderedPage['sections'], level: number): string[] {
  const parent = before.findLast((section) => section.level < level)
  if (parent === undefined) return []
  return [...parentsOf(before.slice(0, before.indexOf(parent)), parent.level), parent.title]
}
