import { Skeleton, Stack } from '@mantine/core'

/** Placeholder while loading. */
export const Loading = ({ lines = 4 }: { lines?: number }) => (
  <Stack gap="sm" aria-busy="true" aria-label="Loading" role="status">
    {Array.from({ length: lines }, (_, line) => (
      <Skeleton key={line} height={36} radius="md" />
    ))}
  </Stack>
)
