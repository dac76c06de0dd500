#!/usr/bin/env node
import { fileURLToPath } from 'node:url'

// No TypeScript, and no import that an older Node lacks: such a Node is reported here, in one line.
const oldest = '22.18.0' // the first that runs TypeScript without a flag
const compare = new Intl.Collator('en', { numeric: true }).compare
if (compare(process.versions.node, oldest) < 0) {
  process.stderr.write(
    `sluice: Node ${oldest} or newer is required; ${process.execPath} is ${process.versions.node}. Run npm run sluice, which uses the Node that npm ci installed.\n`,
  )
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
// Half a second less of each later start: the service is some 2,000 modules. Beside what npm installed, so that nobody
// else can write what we run. What strips types takes 22 MiB and 0.2 s of the processor; a later start does not need it.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))
await import('./main.ts')
