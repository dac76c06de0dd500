import { Button, Group, Kbd, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useRef } from 'react'
import { IconSearch } from '../ui/icons.tsx'

const SearchDialog = lazy(() => import('./search-dialog.tsx').then((module) => ({ default: module.SearchDialog })))

/** Button for the global search, also opened by `/` or Ctrl-K. */
export const SearchButton = () => {
  const [isOpen, disclosure] = useDisclosure(false)
  const before = useRef<Element>(null)
  const open = () => {
    before.current = document.activeElement
    disclosure.open()
  }
  const close = ({ isChosen }: { isChosen: boolean }) => {
    disclosure.close()
    if (!isChosen && before.current instanceof HTMLElement) before.current.focus()
  }
  useHotkeys([['/', open]])
  useHotkeys([['mod + K', open]], []) // also in text fields
  return (
    <>
      <Button
        variant="default"
        px={{ base: 8, md: 'sm' }}
        aria-keyshortcuts="/ Control+K"
        style={{ flexShrink: 0 }}
        onClick={open}
      >
        <Group gap="xs" wrap="nowrap">
          <IconSearch size={16} aria-hidden />
          <Text span inherit visibleFrom="xs">
            Search
          </Text>
          <VisuallyHidden hiddenFrom="xs">Search</VisuallyHidden>
          <Kbd size="xs" visibleFrom="md">
            Ctrl K
          </Kbd>
        </Group>
      </Button>
      <Suspense>{isOpen && <SearchDialog onClose={close} />}</Suspense>
    </>
  )
}
