import { ActionIcon, Indicator } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useOperation } from '../api/use-operation.ts'
import { IconInbox } from '../ui/icons.tsx'
import { badgeCount } from './item-labels.ts'

/** Button for the inbox with its count, on every page. */
export const InboxButton = () => {
  const inbox = useOperation('getInbox', {}).data?.data
  const count = inbox ? badgeCount(inbox) : ''
  return (
    <Indicator label={count} disabled={count === ''} size={16} offset={4} color="orange" autoContrast>
      <ActionIcon
        component={Link}
        to="/console/inbox"
        variant="default"
        size="lg"
        aria-label={count === '' ? 'Inbox' : `Inbox: ${count}`}
      >
        <IconInbox size={18} aria-hidden />
      </ActionIcon>
    </Indicator>
  )
}
