import { useMay } from '../../api/use-may.ts'
import { useWhole } from '../../api/use-pages.ts'
import { Answer } from '../../ui/answer.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { NewChannel } from './channel-form.tsx'
import { ChannelRow } from './channel-row.tsx'

/** Who is told of what happens. */
export const Channels = () => {
  const may = useMay('notification-channels:read')
  if (may.isAllowed) return <Listed />
  return (
    <Section title="Channels">
      <Notice title="Notifications are for admins">{may.reason}</Notice>
    </Section>
  )
}

const Listed = () => {
  const channels = useWhole('listNotificationChannels', {})
  return (
    <Section title="Channels" aside={<NewChannel />}>
      <Answer of={channels}>
        {(all) => (
          <Rows
            of={all}
            empty={
              <Notice title="Nobody is told of anything">
                A channel tells a chat, a mailbox, a pager or a program when a release waits for somebody, or fails.
              </Notice>
            }
          >
            {(channel) => <ChannelRow channel={channel} />}
          </Rows>
        )}
      </Answer>
    </Section>
  )
}
