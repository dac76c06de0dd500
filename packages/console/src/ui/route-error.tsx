import { Button, Container, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { isThere } from '../api/is-there.ts'
import { mayPass } from '../api/query-client.ts'
import { ErrorPanel, errorOf } from './error-panel.tsx'

/** Between two looks whether the service is back. Milliseconds. */
const lookMs = 3_000

/** A page that could not be shown; where that is for want of the service, until it is back. */
export const RouteError = ({ error }: { error: unknown }) => {
  const router = useRouter()
  const isPassing = mayPass(error) && error instanceof TypeError // so a fetch, or the loading of a script, fails
  const again = async () => {
    if (!(await isThere())) return
    // A script that could not be loaded is not asked for again by any other way.
    if (/module/i.test(String(error))) window.location.reload()
    else router.invalidate()
  }
  useInterval(again, lookMs, { autoInvoke: isPassing })
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
