import { useElementSize } from '@mantine/hooks'
import type { ServiceInEnvironment } from '@sluice/contract'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { useHealth } from '../services/use-health.ts'
import { useOffsetTop } from '../ui/use-offset-top.ts'
import { variables } from '../ui/variables.ts'
import { InstanceCard } from './instance-card.tsx'
import classes from './instance-cards.module.css'
import { visibleBlocks } from './visible-blocks.ts'

type Props = {
  places: readonly ServiceInEnvironment[]
  /** Whether the section is in the window, so that the cloud is asked only about what is seen. */
  isVisible: boolean
}

/** Width from which a further column is used, estimated height of a card, and space between cards. Pixels. */
const [minCardWidth, cardHeight, gap] = [300, 150, 16]
const maxColumns = 3

/** Shows module instances as cards that scroll with the page, and draws only the rows near the window. */
export const InstanceCards = ({ places, isVisible }: Props) => {
  const { ref: sized, width } = useElementSize<HTMLDivElement>()
  const grid = useRef<HTMLDivElement>(null)
  const columns = Math.max(1, Math.min(maxColumns, Math.floor((width + gap) / (minCardWidth + gap))))
  const virtual = useWindowVirtualizer({
    count: Math.ceil(places.length / columns),
    estimateSize: () => cardHeight,
    getItemKey: (row) => places[row * columns]?.moduleInstanceId ?? row,
    overscan: 1,
    gap,
    scrollMargin: useOffsetTop(grid),
  })
  const rows = virtual.getVirtualItems()
  const ids = places.map(({ moduleInstanceId }) => moduleInstanceId)
  const seen = rows.flatMap(({ index }) => Array.from({ length: columns }, (_, column) => index * columns + column))
  const healths = useHealth(isVisible ? visibleBlocks(ids, seen) : [])
  return (
    <div ref={sized}>
      <div ref={grid} className={classes.grid} style={{ height: virtual.getTotalSize() }}>
        {rows.map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className={classes.row}
            style={{
              transform: `translateY(${start - virtual.options.scrollMargin}px)`,
              ...variables({ '--columns': String(columns) }),
            }}
          >
            {places.slice(index * columns, (index + 1) * columns).map((place) => (
              <InstanceCard key={place.moduleInstanceId} place={place} health={healths[place.moduleInstanceId]} />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
