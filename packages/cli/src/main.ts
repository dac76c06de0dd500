#!/usr/bin/env node
import { createRequire, enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Argument, Command, Option } from 'commander'
import { addCallCommands } from './calls/commands.ts'
import { endWith } from './end-with.ts'
import { addSettingFlags, sourcesOf } from './flags.ts'

// Half a second less of each later start: the service is some 2,000 modules. Beside what npm installed, so that nobody
// else can write what we run.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))

/** Every command loads its part only when it is called: help and faults need not wait for the server's code. */
const sluice = new Command('sluice')
  .description('Self-hosted infrastructure delivery.')
  .version(createRequire(import.meta.url)('../package.json').version)
  .showHelpAfterError('See sluice --help, or sluice <command> --help.')
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'sluice: ')) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

addSettingFlags(sluice.command('serve').description('Run the service until Ctrl-C.')).action(async (_, command) =>
  (await import('./serve.ts')).serve(sourcesOf(command)),
)

addSettingFlags(
  sluice.command('demo').description('Run the service with a simulated cloud and an example organization.'),
).action(async (_, command) => (await import('./demo/start.ts')).startDemo(sourcesOf(command)))

sluice
  .command('runner')
  .description('Carry out steps of pipelines for an API that is elsewhere, until Ctrl-C.')
  .option('--url <url>', 'Address of the API [SLUICE_URL]')
  .option('--token <token>', 'Lets it claim; others on this machine can read flags [SLUICE_RUNNER_TOKEN]')
  .option('--directory <path>', 'Where it works [SLUICE_RUNNER_DIR, default ~/.sluice-runner]')
  .option('--capacity <number>', 'Steps at a time [SLUICE_RUNNER_CAPACITY, default the number of cores]')
  .option('--labels <words>', 'What is shown of it, separated by commas [SLUICE_RUNNER_LABELS]')
  .action(async (flags) => (await import('./runner.ts')).runRunner(flags))

addSettingFlags(sluice.command('reset').description('Remove the data directory with everything in it.'), ['dataDir'])
  .option('--yes', 'do not ask')
  .action(async (_, command) => (await import('./reset.ts')).reset(sourcesOf(command), command.opts().yes === true))

const ofDatabase = ['dataDir', 'databaseUrl', 'encryptionKey', 'encryptionKeys', 'databaseSuperuser'] as const

addSettingFlags(sluice.command('migrate').description('Bring the schema of the database up to date, and end.'), [
  'databaseUrl',
  'databaseSuperuser',
]).action(async (_, command) => (await import('./operate/migrate.ts')).runMigrate(sourcesOf(command)))

sluice
  .command('engine-identity')
  .description('Make the key of an engine that runs elsewhere, unless it is there, and print what workers trust.')
  .argument('<file>', 'where the key is kept')
  .action(async (file) => (await import('./operate/engine-identity.ts')).runEngineIdentity(file))

addSettingFlags(
  sluice.command('owner-token').description("Make an API key of an organization's owner, by way of the database."),
  ofDatabase,
)
  .option('--organization <givenId>', 'which one, where there are several')
  .action(async (_, command) => {
    const { organization } = command.opts()
    await (await import('./operate/owner-token.ts')).runOwnerToken(sourcesOf(command), organization)
  })

addSettingFlags(
  sluice.command('reseal').description('Seal all secrets in the database anew, with the first encryption key.'),
  ofDatabase,
).action(async (_, command) => (await import('./operate/reseal.ts')).runReseal(sourcesOf(command)))

addSettingFlags(
  sluice.command('forget-lost-keys').description('Let the service start although an encryption key is lost.'),
  ofDatabase,
)
  .option('--yes', 'do not ask')
  .action(async (_, command) => {
    const { yes } = command.opts()
    await (await import('./operate/forget-lost-keys.ts')).runForgetLostKeys(sourcesOf(command), yes === true)
  })

addSettingFlags(
  sluice
    .command('doctor')
    .description('Look whether the service can run here with these settings, and say what to do.'),
)
  .option('--json', 'for programs')
  .action(async (_, command) =>
    (await import('./operate/doctor/doctor.ts')).runDoctor(sourcesOf(command), command.opts().json === true),
  )

sluice
  .command('lint')
  .description('Check modules and pipelines as the service does, without one.')
  .argument('<file or folder...>', 'YAML or JSON; - is standard input')
  .addOption(
    new Option('--format <name>', 'how faults are printed')
      .choices(['text', 'json', 'sarif', 'github'])
      .default('text'),
  )
  .option('--verbose', 'name the files in folders that are neither')
  .action(async (names, wishes) => (await import('./lint/lint.ts')).lint(names, wishes))

sluice
  .command('schema')
  .description('Print the JSON Schema of modules or pipelines, for editors.')
  .addArgument(new Argument('<kind>').choices(['module', 'pipeline']))
  .action(async (kind) => (await import('./schema.ts')).printSchema(kind))

addCallCommands(sluice)

process.on('uncaughtException', endWith)
// Whoever reads us, such as `head`, has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  error.code === 'EPIPE' ? process.exit(0) : endWith(error),
)
await sluice.parseAsync().catch(endWith)
