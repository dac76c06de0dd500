import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ImageBuildOrder } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../src/attempt.ts'
import { builtImage, expectImageTool, imageAttempt } from '../src/builds/image.ts'
import { type Limits, usualLimits } from '../src/isolation/limits.ts'
import { openIsolation } from '../src/isolation/open.ts'
import { attemptIn } from '../src/programs/attempt.fixture.ts'
import { clearAttempt } from '../src/programs/programs.ts'

/** Given on the command line, as JSON. */
export type BuilderSettings = { directory: string; base: string; limits: Partial<Limits> }
/** What is to be built: a Dockerfile behind lines that have the files of `base` in the image. */
export type ToBuild = { dockerfile: string } & Partial<Pick<ImageBuildOrder, 'secrets' | 'commandSeconds'>>
/** What has become of it: what its log says, and the code of its error. */
export type Built = { said: string; code?: string | undefined }

// As a runner does that isolates its programs, as whichever user this is: builds what it is told, a line for each.
const { directory, base, limits }: BuilderSettings = JSON.parse(process.argv[2] ?? '')
process.umask(0o022)
await mkdir(directory, { recursive: true, mode: 0o700 })
const isolation = await openIsolation({
  ...{ wish: 'bubblewrap', network: 'own', toolFolders: [], endpoints: [], url: 'http://127.0.0.1:1', directory },
  limits: { ...usualLimits, cpus: 1, ...limits },
})
const as = await expectImageTool(isolation)
for await (const line of createInterface(process.stdin)) {
  const built = await build(JSON.parse(line)).catch((error: Error): Built => ({ said: String(error.stack) }))
  console.info(JSON.stringify(built))
}
process.exit(0)

async function build({ dockerfile, ...more }: ToBuild): Promise<Built> {
  const place = await mkdtemp(join(directory, 'attempt-'))
  const bare: Pick<Attempt, 'directory' | 'folders' | 'log' | 'lastLines' | 'process'> = {
    ...(await attemptIn(place, isolation)),
    log: () => {},
  }
  const attempt = imageAttempt(bare as Attempt, as)
  await cp(base, join(attempt.directory, 'base'), { recursive: true })
  await writeFile(join(attempt.directory, 'Dockerfile'), `FROM scratch\nCOPY base /\n${dockerfile}\n`)
  const order: ImageBuildOrder = {
    ...{ kind: 'build', publishedAs: 'image', source: { basePath: '.', files: {} } },
    ...{ dockerfile: 'Dockerfile', context: '.', isInjected: false, arguments: {}, secrets: {} },
    ...more,
  }
  const code = await builtImage(attempt, order, { cwd: attempt.directory, as }).then(
    () => undefined,
    (error) => error.error?.code ?? String(error),
  )
  const said = await readFile(join(place, 'programs/image/output'), 'utf8')
  await clearAttempt(place, { afterIntMs: 300, afterTermMs: 300 }, isolation)
  return { said: said.slice(0, 200_000), code }
}
