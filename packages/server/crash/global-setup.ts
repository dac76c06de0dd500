import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Rolldown } from 'tsdown'
import { serviceProgramVariable } from './service-process.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const caches = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))

/** Ours and the cloud's client are a thousand files. What else there is finds files beside itself, or is few. */
const many =
  '(@sluice|@aws-sdk|@smithy|@modelcontextprotocol|@restatedev|drizzle-orm|jose|nodemailer|openid-client|semver|typebox|yaml)(/|$)'
const bundled = new RegExp(`^${many}`)
const others = new RegExp(`^(?![./]|${many})`)

/**
 * The service in one file, made once for all tests: it is started some 300 times here, and each start from a thousand
 * modules takes 1.2 s of processor time more (of 3.4, measured beside each other).
 */
export default async function bundle(): Promise<() => Promise<void>> {
  await mkdir(caches, { recursive: true })
  const outDir = await mkdtemp(join(caches, 'crash-'))
  await build({
    config: false,
    entry: [join(here, 'service.ts')],
    outDir,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    dts: false,
    logLevel: 'warn',
    deps: { alwaysBundle: [bundled], neverBundle: [others], onlyBundle: false },
    plugins: [addressesAsWritten()],
  })
  process.env[serviceProgramVariable] = join(outDir, 'service.mjs')
  return () => rm(outDir, { recursive: true, force: true })
}

/** Files that a module finds beside itself stay where they are. */
function addressesAsWritten(): Rolldown.Plugin {
  const address = /\bimport\.meta\.url\b/g
  return {
    name: 'addresses-as-written',
    transform: {
      filter: { code: address },
      handler: (code, id) => code.replaceAll(address, JSON.stringify(pathToFileURL(id).href)),
    },
  }
}
