import type { Command } from 'commander'
import { addServiceCommand } from '../options.ts'

/** Adds the commands for notification channels and settings. */
export function addNotificationCommands(sluice: Command): void {
  const channels = sluice.command('channel').description('Who is notified of which events, and how.')

  addServiceCommand(channels, 'list', 'Show the channels.').action(async (wishes) =>
    (await import('./channels.ts')).listChannels(wishes),
  )

  addServiceCommand(channels, 'add', 'Make a channel; shows the secret of a webhook, once.')
    .argument('<name>', 'what to call it')
    .argument(
      '<address>',
      'where it is sent to; of email, addresses and members, with commas; of team-members, the id of the team; of pagerduty, the integration key; - reads it from the standard input',
    )
    .option('--kind <kind>', 'how it is reached: webhook, slack, teams, email, team-members or pagerduty', 'webhook')
    .option('--format <format>', 'format of a webhook: standard or cdevents')
    .option('--events <what...>', 'such as deployment.paused deployment.failed; everything, unless named', [])
    .option('--severity <least>', 'only what matters so much: info, warning or critical')
    .option('--project <id>', 'only what happens in a project')
    .option('--environments <id...>', 'only what happens in these environments')
    .option('--quiet <hours...>', 'when only critical events are sent, such as 19:00-08:00 or sat,sun:00:00-00:00')
    .option('--digest <how often>', 'tell what is not critical as one message: hourly or daily')
    .option('--time-zone <zone>', 'of both, such as Europe/Berlin; UTC, unless said')
    .option(
      '--signing-secret <file>',
      'that of the Slack app, for buttons to decide with, in a file; - reads it from the standard input',
    )
    .action(async (name, address, wishes) => (await import('./channels.ts')).addChannel(name, address, wishes))

  addServiceCommand(
    channels,
    'buttons',
    'Give a channel of Slack the signing secret of its app, for buttons to decide with.',
  )
    .argument('<channel>', 'its id: sluice channel list')
    .argument('[file]', 'that has the signing secret; - reads it from the standard input')
    .option('--off', 'remove it, and with it the buttons')
    .action(async (id, file, wishes) => (await import('./channels.ts')).setButtons(id, file, wishes))

  addServiceCommand(channels, 'test', 'Send something to a channel, and see whether it arrives.')
    .argument('<channel>', 'its id: sluice channel list')
    .action(async (id, wishes) => (await import('./channels.ts')).testChannel(id, wishes))

  addServiceCommand(channels, 'deliveries', 'Show the deliveries of a channel.')
    .argument('<channel>', 'its id: sluice channel list')
    .action(async (id, wishes) => (await import('./channels.ts')).listDeliveries(id, wishes))

  addServiceCommand(channels, 'resend', 'Tell a channel the same again.')
    .argument('<delivery>', 'its id: sluice channel deliveries')
    .action(async (id, wishes) => (await import('./channels.ts')).resendDelivery(id, wishes))

  addServiceCommand(channels, 'replay', 'Tell a webhook again what happened after a position.')
    .argument('<channel>', 'its id: sluice channel list')
    .requiredOption('--after <position>', 'the position of the last event that needs no telling: sluice events')
    .action(async (id, wishes) => (await import('./channels.ts')).replayChannel(id, wishes))

  const mail = sluice.command('notifications').description('What you are written to about, by mail.')

  addServiceCommand(mail, 'show', 'Show what you are written to about.').action(async (wishes) =>
    (await import('./notification-settings.ts')).showSettings(wishes),
  )

  addServiceCommand(mail, 'set', 'Change what you are written to about; what is not named stays.')
    .option('--on', 'be written to')
    .option('--off', 'be written to no more')
    .option('--topics <why...>', 'started, approvals, critical, followed; or none')
    .option('--projects <id...>', 'follow what happens in these projects alone; or all')
    .option('--environments <id...>', 'follow what happens in these environments alone; or all')
    .option('--events <what...>', 'follow these alone, such as deployment.succeeded; or all')
    .option('--severity <least>', 'follow what matters so much: info, warning or critical')
    .option(
      '--quiet <hours...>',
      'when only critical events are sent, such as 19:00-08:00 or sat,sun:00:00-00:00; or none',
    )
    .option('--digest <how often>', 'tell what is not critical as one mail: hourly or daily; or none')
    .option('--time-zone <zone>', 'of both, such as Europe/Berlin')
    .action(async (wishes) => (await import('./notification-settings.ts')).changeSettings(wishes))

  const slack = sluice.command('slack').description('Who of the members is who at Slack, and decides there.')

  addServiceCommand(slack, 'list', 'Show your linked account at Slack; for owners, those of all members.').action(
    async (wishes) => (await import('./slack-accounts.ts')).listSlackAccounts(wishes),
  )

  addServiceCommand(slack, 'unlink', 'Unlink an account, so that it can no longer make decisions.')
    .argument('<slack-account>', 'its id: sluice slack list')
    .action(async (id, wishes) => (await import('./slack-accounts.ts')).unlinkSlackAccount(id, wishes))

  addServiceCommand(sluice, 'events', 'Show what happened, oldest first: a line for each event, with its position.')
    .option('--after <position>', 'only what came after; all that is kept, unless named')
    .option('--types <what...>', 'only these, such as deployment.failed stack.drifted')
    .option('-f, --follow', 'go on with what happens')
    .action(async (wishes) => (await import('../events.ts')).events(wishes))
}
