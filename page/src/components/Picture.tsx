// A picture of the command, shown as an image: nothing inside of it can run. It can be saved.
import { useEffect, useState } from "preact/hooks";
import { save, savePng } from "../save";

export function Picture({ svg, name, alt }: { svg: string; name: string; alt: string }) {
  const [address, setAddress] = useState("");
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [svg]);
  return (
    <figure>
      {address && <img src={address} alt={alt} />}
      <figcaption class="actions">
        <button type="button" onClick={() => save(`${name}.svg`, svg, "image/svg+xml")}>Save SVG</button>
        <button type="button" onClick={() => void savePng(`${name}.png`, svg)}>Save PNG</button>
      </figcaption>
    </figure>
  );
}
