import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ImageBuildOrder } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../src/attempt.ts'
import { buildImage, createImageAttempt, requireImageBuilder } from '../src/builds/image.ts'
import { defaultLimits, type Limits } from '../src/isolation/limits.ts'
import { openIsolation } from '../src/isolation/open.ts'
import { createAttempt } from '../src/programs/attempt.fixture.ts'
import { removeAttempt } from '../src/programs/programs.ts'

/** Settings, passed on the command line as JSON. */
export type BuilderSettings = { directory: string; base: string; limits: Partial<Limits> }
/** A build request. The Dockerfile is appended to lines that copy the files of `base` into the image. */
export type ToBuild = { dockerfile: string } & Partial<Pick<ImageBuildOrder, 'secrets' | 'commandSeconds'>>
/** The result of a build: its log and the code of its error. */
export type Built = { said: string; code?: string | undefined }

// Builds images as an isolating runner does, one per line of input, as the current user.
const { directory, base, limits }: BuilderSettings = JSON.parse(process.argv[2] ?? '')
process.umask(0o022)
await mkdir(directory, { recursive: true, mode: 0o700 })
const isolation = await openIsolation({
  mode: 'bubblewrap',
  network: 'own',
  toolFolders: [],
  endpoints: [],
  url: 'http://127.0.0.1:1',
  directory,
  limits: { ...defaultLimits, cpus: 1, ...limits },
})
const as = await requireImageBuilder(isolation)
for await (const line of createInterface(process.stdin)) {
  const built = await build(JSON.parse(line)).catch((error: Error): Built => ({ said: String(error.stack) }))
  console.info(JSON.stringify(built))
}
process.exit(0)

async function build({ dockerfile, ...more }: ToBuild): Promise<Built> {
  const place = await mkdtemp(join(directory, 'attempt-'))
  const bare: Pick<Attempt, 'directory' | 'folders' | 'log' | 'lastLogLines' | 'runProgram'> = {
    ...(await createAttempt(place, isolation)),
    log: () => {},
  }
  const attempt = createImageAttempt(bare as Attempt, as)
  await cp(base, join(attempt.directory, 'base'), { recursive: true })
  await writeFile(join(attempt.directory, 'Dockerfile'), `FROM scratch\nCOPY base /\n${dockerfile}\n`)
  const order: ImageBuildOrder = {
    kind: 'build',
    publishedAs: 'image',
    source: { basePath: '.', files: {} },
    dockerfile: 'Dockerfile',
    context: '.',
    isInjected: false,
    arguments: {},
    secrets: {},
    ...more,
  }
  const code = await buildImage(attempt, order, { cwd: attempt.directory, as }).then(
    () => undefined,
    (error) => error.error?.code ?? String(error),
  )
  const said = await readFile(join(place, 'programs/image/output'), 'utf8')
  await removeAttempt(place, { afterIntMs: 300, afterTermMs: 300 }, isolation)
  return { said: said.slice(0, 200_000), code }
}
