#!/usr/bin/env node
import { addCallCommands } from './calls/commands.ts'
import { addCompletionCommand } from './completion/commands.ts'
import { addFileCommands } from './lint/commands.ts'
import { newSluice, runSluice } from './sluice.ts'

/** The packaged command line, for machines that only call a service. */
const sluice = newSluice()
addFileCommands(sluice)
addCallCommands(sluice)
addCompletionCommand(sluice)
await runSluice(sluice)
