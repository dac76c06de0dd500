import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Rolldown } from 'tsdown'
import { programsVariable } from './programs.ts'
import { seedVariable, suiteSeed } from './random.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const caches = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))

/** Packages to bundle: a thousand files. Other packages load files beside themselves, or are small. */
const many = `
  @aws-sdk @modelcontextprotocol @restatedev @sluice @smithy ajv ajv-formats content-type cookie croner drizzle-orm
  fast-json-stringify fastify ipaddr.js jose mime nodemailer oauth4webapi openid-client prom-client
  rate-limiter-flexible re2js semver typebox typeid-js ws yaml zod`
const ofMany = `(${many.trim().split(/\s+/).join('|')})(/|$)`
const bundled = new RegExp(`^${ofMany}`)
const others = new RegExp(`^(?![./]|${ofMany})`)

/**
 * Prints the seed of the run, which is random without CRASH_SEED. Bundles the programs that tests start repeatedly: the
 * service starts some 250 times, and each start from a thousand modules takes 1.4 s more processor time (of 3.4,
 * measured side by side).
 */
export default async function prepare(): Promise<() => Promise<void>> {
  process.env[seedVariable] ||= String(Math.floor(Math.random() * 1e9))
  console.log(`${seedVariable}=${suiteSeed()}`)
  await mkdir(caches, { recursive: true })
  const outDir = await mkdtemp(join(caches, 'crash-'))
  await build({
    config: false,
    entry: [join(here, 'service.ts'), join(here, 'archiving-program.ts')],
    outDir,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    dts: false,
    logLevel: 'warn',
    deps: { alwaysBundle: [bundled], neverBundle: [others], onlyBundle: false },
    plugins: [addressesAsWritten()],
  })
  process.env[programsVariable] = outDir
  return () => rm(outDir, { recursive: true, force: true })
}

/** Keeps the addresses of files that a module loads from beside itself. */
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
