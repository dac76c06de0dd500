#!/usr/bin/env node
import { addCallCommands } from './calls/commands.ts'
import { addCompletionCommand } from './completion/commands.ts'
import { addFileCommands } from './lint/commands.ts'
import { newSluice, runSluice } from './sluice.ts'

/** The command line as it is packed: for machines that call a service and run none. */
const sluice = newSluice()
addFileCommands(sluice)
addCallCommands(sluice)
addCompletionCommand(sluice)
await runSluice(sluice)
