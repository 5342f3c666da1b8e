import { defineConfig } from "vite";
import { singleFile } from "./single_file";

export default defineConfig({
  plugins: [singleFile()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "../build/page",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
  },
});
