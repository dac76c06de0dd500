import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer, printList } from '../print.ts'

/** Prints the linked Slack accounts: the caller's, or all for owners. */
export async function listSlackAccounts(wishes: UrlOption & OutputOption): Promise<void> {
  const answer = await connect(wishes).listSlackAccounts({ query: { limit: 100 } })
  printList(answer.data, wishes, {
    whole: answer,
    columns: ['id', 'memberEmail', 'slackUserName', 'slackUser', 'slackTeamName', 'slackTeam', 'createdAt'],
    none: 'No account at Slack is linked.',
    toRow: (one) => ({ ...one }),
  })
}

/** Unlinks a Slack account, so that it can no longer decide anything. */
export async function unlinkSlackAccount(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  await connect(wishes).deleteSlackAccount({ params: { id } })
  printer(wishes).say(`${id} is unlinked`)
}
