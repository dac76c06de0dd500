import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { NewChannel } from './channel-form.tsx'
import { ChannelRow } from './channel-row.tsx'

/** Manages notification channels. */
export const Channels = () => {
  const may = usePermission('notification-channels:read')
  if (may.isAllowed) return <Listed />
  return (
    <Section title="Channels">
      <Notice title="Only admins can view notification channels">{may.reason}</Notice>
    </Section>
  )
}

const Listed = () => {
  const channels = useCompleteList('listNotificationChannels', {})
  return (
    <Section title="Channels" aside={<NewChannel />}>
      <QueryResult of={channels}>
        {(all) => (
          <Rows
            of={all}
            empty={
              <Notice title="No channels yet">
                Add a channel to notify a chat, mailbox, pager, or program when a release waits for approval or fails.
              </Notice>
            }
          >
            {(channel) => <ChannelRow channel={channel} />}
          </Rows>
        )}
      </QueryResult>
    </Section>
  )
}
