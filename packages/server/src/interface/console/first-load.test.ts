import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { directory } from '@sluice/console/directory'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'

/** Maximum size in bytes, which a slow connection (1.2 Mbit/s) loads in about two seconds. */
const mostBytes = 300_000

const read = (file: string) => readFile(join(directory, file), 'utf8')

/** Loads the scripts that are needed for the first paint, with their static imports. */
async function load(file: string, scripts = new Map<string, string>()): Promise<Map<string, string>> {
  if (scripts.has(file)) return scripts
  const text = await read(file) // if it is missing, `npm run prepare` builds it
  scripts.set(file, text)
  const own = file.endsWith('.html')
    ? [...text.matchAll(/(?:src|href)="\/console\/([^"]+\.js)"/g)].map(([, path = '']) => path)
    : // Dynamic imports are not matched, because they are loaded later.
      [...text.matchAll(/(?:from|import)\s*["'](\.[^"']+\.js)["']/g)].map(([, path = '']) =>
        posix.join(posix.dirname(file), path),
      )
  for (const path of own) await load(path, scripts)
  return scripts
}

const built = (await readdir(join(directory, 'assets'))).map((file) => `assets/${file}`)

/** Returns the script of a page, or of a part of one, that is loaded on demand. */
function scriptOf(name: string): string {
  const file = built.find((path) => new RegExp(`^assets/${name}-[\\w-]{8}\\.js$`).test(path))
  if (file === undefined) throw new Error(`There is no script for ${name}.`)
  return file
}

/** Scripts of each page that are loaded when it is opened by its address. */
const pages: Record<string, readonly string[]> = {
  'a deployment': [],
  'the overview': ['overview', 'user-menu'],
  'the environments': ['environments'],
  'what runs where': ['project-page'],
  'a module instance': ['instance-page', 'inputs-panel'],
  'placing a module': ['new-instance'],
  'the pipelines': ['pipelines'],
  'a pipeline': ['pipeline-page'],
  'a run with its log': ['run-page', 'run-graph', 'step-log'],
  'a run with its plan': ['run-page', 'run-graph', 'plan-viewer'],
  'the domains': ['settings', 'domains-and-certificates'],
  'the settings': ['settings', 'cloud-accounts', 'defaults', 'execution-environments', 'code-sources'],
}

test(
  'every page loads less than 300 kB of scripts',
  everyCase(Object.entries(pages), async (_page, parts) => {
    const scripts = await load('index.html')
    for (const part of parts) await load(scriptOf(part), scripts)
    const sizes = [...scripts].filter(([file]) => file.endsWith('.js')).map(([, text]) => gzipSync(text).length)
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(mostBytes)
  }),
)

test.each(['line-chart', 'run-graph', 'config-text'])(
  '%s is loaded only for pages that draw something',
  async (name) => {
    expect([...(await load('index.html')).keys()]).not.toContain(scriptOf(name))
  },
)
