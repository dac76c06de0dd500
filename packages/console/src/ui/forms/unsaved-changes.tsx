import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

const tabIn = (search: object): unknown => ('tab' in search ? search.tab : undefined)

/** Asks before leaving a page or tab with unsaved entries. */
export const UnsavedChanges = ({ are }: { are: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    // Filters can change without asking; another tab is a new page.
    shouldBlockFn: ({ current, next }) =>
      are && (current.pathname !== next.pathname || tabIn(current.search) !== tabIn(next.search)),
    enableBeforeUnload: are,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving?">
      <Text size="sm">Your changes on this page aren’t saved.</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => reset?.()} data-autofocus>
          Stay
        </Button>
        <Button color="red.9" onClick={() => proceed?.()}>
          Leave
        </Button>
      </Group>
    </Modal>
  )
}
