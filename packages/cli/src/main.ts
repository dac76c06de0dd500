#!/usr/bin/env node
import { createRequire } from 'node:module'
import { Command } from 'commander'
import { endWith } from './end-with.ts'
import { addSettingFlags, sourcesOf } from './flags.ts'

/** Every command loads its part only when it is called: help and faults need not wait for the server's code. */
const sluice = new Command('sluice')
  .description('Self-hosted infrastructure delivery.')
  .version(createRequire(import.meta.url)('../package.json').version)
  .showHelpAfterError()

addSettingFlags(sluice.command('serve').description('Run the service until Ctrl-C.')).action(async (_, command) =>
  (await import('./serve.ts')).serve(sourcesOf(command)),
)

addSettingFlags(
  sluice.command('demo').description('Run the service with a simulated cloud and an example organization.'),
).action(async (_, command) => (await import('./demo/start.ts')).startDemo(sourcesOf(command)))

addSettingFlags(sluice.command('reset').description('Remove the data directory with everything in it.'), ['dataDir'])
  .option('--yes', 'do not ask')
  .action(async (_, command) => (await import('./reset.ts')).reset(sourcesOf(command), command.opts().yes === true))

process.on('uncaughtException', endWith)
await sluice.parseAsync().catch(endWith)
