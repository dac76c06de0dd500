import { Type } from 'typebox'
import { LinkSlackAccount, PreviewSlackLink, SlackAccount, SlackLink } from '../../identity/slack-account.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

/**
 * Callers manage their own linked accounts, or with the permission `memberships:write` those of the whole organization.
 */
export const slackAccountRoutes = {
  previewSlackLink: {
    operationId: 'previewSlackLink',
    method: 'POST',
    path: '/slack-accounts/preview',
    tag: 'Memberships',
    summary: 'Get the Slack account of a link',
    needs: 'caller',
    body: dataOf(PreviewSlackLink),
    reply: [200, dataOf(SlackLink)],
    refuses: ['slackLinkInvalid'],
  },
  linkSlackAccount: {
    operationId: 'linkSlackAccount',
    method: 'POST',
    path: '/slack-accounts',
    tag: 'Memberships',
    summary: 'Link your Slack account',
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
    summary: "List your linked Slack accounts, or all of the organization's as an owner",
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
    summary: 'Unlink a Slack account',
    needs: 'caller',
    params: IdParams,
    reply: noContent,
    refuses: ['slackAccountNotFound'],
  },
} as const satisfies RouteTable
