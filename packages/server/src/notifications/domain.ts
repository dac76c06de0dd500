import { createOutbound } from '@sluice/outbound/send'
import type { Logger } from 'pino'
import { releaseDigestsOf } from '../delivery/domain.ts'
import { consoleLinks, ownAddress } from '../platform/config/addresses.ts'
import type { Config } from '../platform/config/settings.ts'
import { createSeal } from '../platform/crypto/seal.ts'
import { type Domain, extensionPoint, operationParts, part } from '../platform/domain.ts'
import { createMailSender } from '../platform/mail/send.ts'
import { notificationChannelObject } from './notification-channels/handlers.ts'
import { serveNotificationChannels } from './notification-channels/routes.ts'
import { dueChannels } from './notification-channels/store.ts'
import { notificationChannels } from './notification-channels/tables.ts'
import {
  changeProcessingTask,
  mailProcessingTask,
  processOrganization,
  type ReadChanges,
} from './notification-deliveries/process-changes.ts'
import { serveNotificationDeliveries } from './notification-deliveries/routes.ts'
import { deleteOldNotifications } from './notification-deliveries/store.ts'
import { serveNotificationEvents } from './notification-events/routes.ts'
import { deleteOldNotificationEvents } from './notification-events/store.ts'
import { serveNotificationSettings } from './people/routes.ts'
import { serveUnsubscribing } from './people/unsubscribe.ts'
import { unsubscribePath, unsubscribeToken } from './people/unsubscribe-link.ts'
import { slackPressObject } from './slack-presses/handlers.ts'
import { receiveSlackPresses } from './slack-presses/routes.ts'
import { deleteOldSlackPresses, dueSlackReplies } from './slack-presses/store.ts'
import { slackInteractions } from './slack-presses/tables.ts'

export const changeLog = extensionPoint<ReadChanges>('changes of records')

const channelSealOf = part(({ keys }) => createSeal(keys.secretsFor('notification channels')))

/** Reports whether the operator has configured mail. */
const sendsMailBy = ({ smtpUrl }: Config): boolean => smtpUrl !== undefined

export const notifications: Domain = {
  serve(app, platform) {
    const { config, keys, database } = platform
    const { db, ofOrganization } = database
    const parts = {
      ...operationParts(platform),
      channelSeal: channelSealOf(platform),
      sendsMail: sendsMailBy(config),
      unsubscribeSecrets: keys.secretsFor('unsubscribing'),
      slackLinkSecrets: keys.secretsFor('slack links'),
    }
    serveNotificationChannels(app, parts)
    serveNotificationDeliveries(app, parts)
    serveNotificationEvents(app, {
      addPastEvents: (organizationId) =>
        processOrganization({ db, ofOrganization, ...lookPartsOf(platform) }, organizationId),
    })
    serveNotificationSettings(app, parts)
    serveUnsubscribing(app, { ...parts, db })
    receiveSlackPresses(app, { ...parts, db })
  },
  work(platform, { own }) {
    const { config, keys, database, log } = platform
    const { db, ofOrganization } = database
    const clock = platform.clock.now
    const channelSeal = channelSealOf(platform)
    const sendsMail = sendsMailBy(config)
    const secrets = keys.secretsFor('unsubscribing')
    const channelParts = {
      channelSeal,
      clock,
      sendOutbound: toReceivers(config),
      sendMail: mailBy(config, log),
      unsubscribeUrl: (id: string) => ownAddress(config) + unsubscribePath + unsubscribeToken(secrets, id),
    }
    return {
      objects: [
        notificationChannelObject(own.workOn(notificationChannels, channelParts)),
        slackPressObject(own.workOn(slackInteractions, { channelSeal, clock, sendOutbound: toReceivers(config) })),
      ],
      overdue: [dueChannels, dueSlackReplies],
      sweeps: [
        changeProcessingTask({ db, ofOrganization, ...lookPartsOf(platform) }),
        ...(sendsMail ? [mailProcessingTask({ db })] : []),
      ],
    }
  },
  forget: () => [deleteOldNotifications, deleteOldNotificationEvents, deleteOldSlackPresses],
}

const lookPartsOf = part((platform) => ({
  log: platform.log,
  readChanges: changeLog.one(platform),
  linkTo: consoleLinks(platform.config),
  digestOf: releaseDigestsOf(platform).of,
  sendsMail: sendsMailBy(platform.config),
  clock: platform.clock.now,
}))

/** Returns the mail sender, or undefined if the operator has not configured mail. */
const mailBy = ({ smtpUrl, mailFrom }: Config, log: Logger) =>
  smtpUrl === undefined || mailFrom === undefined ? undefined : createMailSender({ smtpUrl, mailFrom, log })

/** Returns the HTTP client for notification receivers, with a short timeout and truncated responses. */
const toReceivers = ({ outboundAllow }: Config) =>
  createOutbound(outboundAllow, { timeoutMs: 10_000, maxBytes: 64 * 1024 })
