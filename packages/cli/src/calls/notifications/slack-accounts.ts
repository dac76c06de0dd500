import { connect, type Where } from '../connect.ts'
import type { Style } from '../output.ts'
import { printer, printList } from '../print.ts'

/** Shows who of the members is who at Slack: the caller, and everybody to owners. */
export async function listSlackAccounts(wishes: Where & Style): Promise<void> {
  const answer = await connect(wishes).listSlackAccounts({ query: { limit: 100 } })
  printList(answer.data, wishes, {
    whole: answer,
    columns: ['id', 'memberEmail', 'slackUserName', 'slackUser', 'slackTeamName', 'slackTeam', 'createdAt'],
    none: 'No account at Slack is linked.',
    toRow: (one) => ({ ...one }),
  })
}

/** Ends a link: nothing is decided with that account any more. */
export async function unlinkSlackAccount(id: string, wishes: Where & Style): Promise<void> {
  await connect(wishes).deleteSlackAccount({ params: { id } })
  printer(wishes).say(`${id} is unlinked`)
}
