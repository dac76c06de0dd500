import type { Command } from 'commander'
import { addSettingFlags, sourcesOf } from '../flags.ts'

const ofDatabase = ['dataDir', 'databaseUrl', 'encryptionKey', 'encryptionKeys', 'databaseSuperuser'] as const

/** Adds the commands that run the service and operate on its data. */
export function addOperatingCommands(sluice: Command): void {
  addSettingFlags(sluice.command('serve').description('Run the service until Ctrl-C.')).action(async (_, command) =>
    (await import('../serve.ts')).serve(sourcesOf(command)),
  )

  addSettingFlags(
    sluice.command('demo').description('Run the service with a simulated cloud and an example organization.'),
  ).action(async (_, command) => (await import('../demo/start.ts')).startDemo(sourcesOf(command)))

  sluice
    .command('runner')
    .description('Execute steps of pipelines for a remote API, until Ctrl-C.')
    .option('--url <url>', 'Address of the API [SLUICE_URL]')
    .option('--token <token>', 'Lets it claim; others on this machine can read flags [SLUICE_RUNNER_TOKEN]')
    .option('--directory <path>', 'Where it works [SLUICE_RUNNER_DIR, default ~/.sluice-runner]')
    .option('--capacity <number>', 'Steps at a time [SLUICE_RUNNER_CAPACITY, default the number of cores]')
    .option('--labels <words>', 'What is shown of it, separated by commas [SLUICE_RUNNER_LABELS]')
    .action(async (flags) => (await import('../runner.ts')).runRunner(flags))

  addSettingFlags(sluice.command('reset').description('Remove the data directory with everything in it.'), ['dataDir'])
    .option('--yes', 'do not ask')
    .action(async (_, command) => (await import('../reset.ts')).reset(sourcesOf(command), command.opts().yes === true))

  addSettingFlags(sluice.command('migrate').description('Bring the schema of the database up to date, and end.'), [
    'databaseUrl',
    'databaseMigrationUrl',
    'databaseSuperuser',
  ])
    .option('--wait', 'wait until another process has done it, and change nothing')
    .action(async (_, command) => {
      const { runMigrate, waitForMigration } = await import('./migrate.ts')
      await (command.opts().wait ? waitForMigration : runMigrate)(sourcesOf(command))
    })

  addSettingFlags(
    sluice
      .command('move')
      .description('Move all that the embedded database holds to an empty one on a PostgreSQL server.'),
    ['dataDir', 'databaseUrl', 'databaseSuperuser'],
  ).action(async (_, command) => (await import('./move.ts')).runMove(sourcesOf(command)))

  addSettingFlags(
    sluice
      .command('backup-drill')
      .description('Try a backup: lose a paused release of the demo, restore it, and see it go on.'),
    ['databaseUrl'],
  ).action(async (_, command) => (await import('./backup-drill.ts')).runBackupDrill(sourcesOf(command)))

  addSettingFlags(
    sluice.command('report-backup').description('Note that a backup of the database has just ended.'),
    ofDatabase,
  ).action(async (_, command) => (await import('./report-backup.ts')).runReportBackup(sourcesOf(command)))

  sluice
    .command('engine-identity')
    .description('Make the key of an engine that runs elsewhere, unless it is there, and print what workers trust.')
    .argument('<file>', 'where the key is kept')
    .action(async (file) => (await import('./engine-identity.ts')).runEngineIdentity(file))

  addSettingFlags(
    sluice.command('owner-token').description("Make an API key of an organization's owner, by way of the database."),
    ofDatabase,
  )
    .option('--organization <givenId>', 'which one, where there are several')
    .action(async (_, command) => {
      const { organization } = command.opts()
      await (await import('./owner-token.ts')).runOwnerToken(sourcesOf(command), organization)
    })

  addSettingFlags(
    sluice.command('reseal').description('Encrypt all secrets in the database again, with the first encryption key.'),
    ofDatabase,
  ).action(async (_, command) => (await import('./reseal.ts')).runReseal(sourcesOf(command)))

  addSettingFlags(
    sluice.command('forget-lost-keys').description('Let the service start although an encryption key is lost.'),
    ofDatabase,
  )
    .option('--yes', 'do not ask')
    .action(async (_, command) => {
      const { yes } = command.opts()
      await (await import('./forget-lost-keys.ts')).runForgetLostKeys(sourcesOf(command), yes === true)
    })

  addSettingFlags(
    sluice
      .command('doctor')
      .description('Check whether the service can run here with these settings, and show remedies.'),
  )
    .option('--json', 'for programs')
    .action(async (_, command) =>
      (await import('./doctor/doctor.ts')).runDoctor(sourcesOf(command), command.opts().json === true),
    )
}
