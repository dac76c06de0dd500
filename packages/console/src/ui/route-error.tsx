import { Button, Container, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { isServerReachable } from '../api/is-server-reachable.ts'
import { isRetryable } from '../api/query-client.ts'
import { ErrorPanel, errorOf } from './error-panel.tsx'

/** Interval between checks whether the server is back. Milliseconds. */
const checkIntervalMs = 3_000

/** Page for errors. If the server is down, it reloads when the server is back. */
export const RouteError = ({ error }: { error: unknown }) => {
  const router = useRouter()
  const isPassing = isRetryable(error) && error instanceof TypeError // how browsers report a failed fetch or script
  const again = async () => {
    if (!(await isServerReachable())) return
    // A failed script import is cached, so only a reload helps.
    if (/module/i.test(String(error))) window.location.reload()
    else router.invalidate()
  }
  useInterval(again, checkIntervalMs, { autoInvoke: isPassing })
  return (
    <Container size="sm" py="xl">
      <Stack>
        <ErrorPanel error={errorOf(error)} />
        {isPassing && <Text role="status">This page reloads automatically as soon as the server responds.</Text>}
        <Button onClick={() => router.invalidate()}>Try again</Button>
      </Stack>
    </Container>
  )
}
