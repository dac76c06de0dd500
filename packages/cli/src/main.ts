import { addCallCommands } from './calls/commands.ts'
import { addCompletionCommand } from './completion/commands.ts'
import { addFileCommands } from './lint/commands.ts'
import { addOperatingCommands } from './operate/commands.ts'
import { newSluice, runSluice } from './sluice.ts'

const sluice = newSluice()
addOperatingCommands(sluice)
addFileCommands(sluice)
addCallCommands(sluice)
addCompletionCommand(sluice)
await runSluice(sluice)
