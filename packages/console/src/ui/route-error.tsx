import { Button, Container, Stack } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { ErrorPanel, errorOf } from './error-panel.tsx'

export const RouteError = ({ error }: { error: unknown }) => {
  const router = useRouter()
  return (
    <Container size="sm" py="xl">
      <Stack>
        <ErrorPanel error={errorOf(error)} />
        <Button onClick={() => router.invalidate()}>Try again</Button>
      </Stack>
    </Container>
  )
}
