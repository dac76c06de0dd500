import { Alert, Text } from '@mantine/core'
import type { PromotedImage } from '@sluice/contract'

/** Lists the images of a promotion and marks those that may differ from the source. */
export const PromotedImages = ({ images }: { images: PromotedImage[] }) =>
  images.map(({ image, warning }) =>
    warning === undefined ? (
      <Text key={image} size="sm" style={{ overflowWrap: 'anywhere' }}>
        By digest: {image}
      </Text>
    ) : (
      <Alert key={image} color="orange" variant="light" title={image} style={{ overflowWrap: 'anywhere' }}>
        {warning}
      </Alert>
    ),
  )
