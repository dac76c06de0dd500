import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Rolldown } from 'tsdown'
import { programsVariable } from './programs.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const caches = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))

/** Ours, the cloud's client and others: a thousand files. What else there is finds files beside itself, or is few. */
const many = `
  @aws-sdk @modelcontextprotocol @restatedev @sluice @smithy ajv ajv-formats content-type cookie croner drizzle-orm
  fast-json-stringify fastify ipaddr.js jose mime nodemailer oauth4webapi openid-client prom-client
  rate-limiter-flexible re2js semver typebox typeid-js ws yaml zod`
const ofMany = `(${many.trim().split(/\s+/).join('|')})(/|$)`
const bundled = new RegExp(`^${ofMany}`)
const others = new RegExp(`^(?![./]|${ofMany})`)

/**
 * The programs that are started again and again, each in one file that is made once for all tests: the service is
 * started some 250 times, and each start from a thousand modules takes 1.4 s of processor time more (of 3.4, measured
 * beside each other).
 */
export default async function bundle(): Promise<() => Promise<void>> {
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
