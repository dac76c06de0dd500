#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { addCallCommands } from './calls/commands.ts'
import { addCompletionCommand } from './completion/commands.ts'
import { addFileCommands } from './lint/commands.ts'
import { addOperatingCommands } from './operate/commands.ts'
import { newSluice, runSluice } from './sluice.ts'

// Half a second less of each later start: the service is some 2,000 modules. Beside what npm installed, so that nobody
// else can write what we run.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))

const sluice = newSluice()
addOperatingCommands(sluice)
addFileCommands(sluice)
addCallCommands(sluice)
addCompletionCommand(sluice)
await runSluice(sluice)
