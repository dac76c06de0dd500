import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

const tabIn = (search: object): unknown => ('tab' in search ? search.tab : undefined)

/** Asks whoever leaves a page, or a tab of it, on which something was entered that is not saved. */
export const UnsavedChanges = ({ are }: { are: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    // What a page is narrowed to may change; another tab of it is drawn anew.
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
