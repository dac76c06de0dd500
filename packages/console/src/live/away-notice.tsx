import { Alert } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { TimeOfDay } from '../ui/time.tsx'

/** Says that what is on the page may be old, and that nobody has to do anything about it. */
export const AwayNotice = ({ since }: { since: number }) => (
  <Alert
    mb="md"
    color="orange"
    variant="light"
    icon={<IconPlugConnectedX aria-hidden />}
    title="The service does not answer"
    role="status"
  >
    The page shows what was known at <TimeOfDay at={new Date(since).toISOString()} />. It is right again by itself as
    soon as the service is back; what you do meanwhile does not reach it.
  </Alert>
)
