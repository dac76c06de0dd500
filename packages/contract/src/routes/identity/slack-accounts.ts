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
    permission: 'caller',
    body: dataOf(PreviewSlackLink),
    response: [200, dataOf(SlackLink)],
    errors: ['slackLinkInvalid'],
  },
  linkSlackAccount: {
    operationId: 'linkSlackAccount',
    method: 'POST',
    path: '/slack-accounts',
    tag: 'Memberships',
    summary: 'Link your Slack account',
    permission: 'caller',
    body: dataOf(LinkSlackAccount),
    response: [201, dataOf(SlackAccount)],
    errors: ['slackLinkInvalid', 'slackAccountTaken'],
  },
  listSlackAccounts: {
    operationId: 'listSlackAccounts',
    method: 'GET',
    path: '/slack-accounts',
    tag: 'Memberships',
    summary: "List your linked Slack accounts, or all of the organization's as an owner",
    permission: 'caller',
    query: Type.Object({ ...pageParams, membershipId: Type.Optional(Id) }, { additionalProperties: false }),
    response: [200, listOf(SlackAccount)],
    errors: ['cursorInvalid'],
  },
  deleteSlackAccount: {
    operationId: 'deleteSlackAccount',
    method: 'DELETE',
    path: '/slack-accounts/{id}',
    tag: 'Memberships',
    summary: 'Unlink a Slack account',
    permission: 'caller',
    params: IdParams,
    response: noContent,
    errors: ['slackAccountNotFound'],
  },
} as const satisfies RouteTable
