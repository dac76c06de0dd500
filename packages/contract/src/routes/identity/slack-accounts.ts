import { Type } from 'typebox'
import { LinkSlackAccount, LookAtSlackLink, SlackAccount, SlackLink } from '../../identity/slack-account.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

/** People link, see and unlink their own; with the permission `memberships:write`, those of the whole organization. */
export const slackAccountRoutes = {
  lookAtSlackLink: {
    operationId: 'lookAtSlackLink',
    method: 'POST',
    path: '/slack-accounts/look',
    tag: 'Memberships',
    summary: 'Say whose account at Slack a link is about, signed in in the console',
    needs: 'caller',
    body: dataOf(LookAtSlackLink),
    reply: [200, dataOf(SlackLink)],
    refuses: ['slackLinkInvalid'],
  },
  linkSlackAccount: {
    operationId: 'linkSlackAccount',
    method: 'POST',
    path: '/slack-accounts',
    tag: 'Memberships',
    summary: 'Link your account at Slack, signed in in the console',
    needs: 'caller',
    body: dataOf(LinkSlackAccount),
    reply: [201, dataOf(SlackAccount)],
    refuses: ['slackLinkInvalid', 'slackAccountTaken'],
  },
  listSlackAccounts: {
    operationId: 'listSlackAccounts',
    method: 'GET',
    path: '/slack-accounts',
    tag: 'Memberships',
    summary: 'List linked accounts at Slack: your own, or all as an owner',
    needs: 'caller',
    query: Type.Object({ ...pageParams, membershipId: Type.Optional(Id) }, { additionalProperties: false }),
    reply: [200, listOf(SlackAccount)],
    refuses: ['cursorInvalid'],
  },
  deleteSlackAccount: {
    operationId: 'deleteSlackAccount',
    method: 'DELETE',
    path: '/slack-accounts/{id}',
    tag: 'Memberships',
    summary: 'Unlink an account at Slack: nothing is decided with it any more',
    needs: 'caller',
    params: IdParams,
    reply: noContent,
    refuses: ['slackAccountNotFound'],
  },
} as const satisfies RouteTable
