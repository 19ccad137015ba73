package io.sei.operator.dashboard;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;

/** A headless Chromium, which {@code make tools} fetches; that there is none is an error. */
public final class Browser implements AutoCloseable {

  private static final Path TOOLS = Path.of("target", "tools");

  private final ChromeDriver driver;

  public Browser() {
    var options = new ChromeOptions();
    options.setBinary(tool("chromium-headless-shell"));
    // Tests run as root in containers, where the sandbox of Chromium cannot be set up.
    options.addArguments("--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars");
    var service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(tool("chromedriver"))
            .usingAnyFreePort()
            .withSilent(true)
            .build();
    driver = new ChromeDriver(service, options);
  }

  private static File tool(String name) {
    Path program = TOOLS.resolve(name).toAbsolutePath();
    if (!Files.isExecutable(program)) {
      throw new IllegalStateException("there is no " + program + ": run make tools");
    }
    return program.toFile();
  }

  public void open(String address) {
    driver.get(address);
  }

  /** Runs a script in each page that is opened from now on, before the scripts of the page. */
  public void beforeEachPage(String script) {
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  /** Returns the size of what the page has in its heap after a collection of garbage. */
  @SuppressWarnings("unchecked")
  public double heapBytes() {
    driver.executeCdpCommand("HeapProfiler.collectGarbage", Map.of());
    driver.executeCdpCommand("Performance.enable", Map.of());
    List<Map<String, Object>> metrics =
        (List<Map<String, Object>>)
            driver.executeCdpCommand("Performance.getMetrics", Map.of()).get("metrics");
    return metrics.stream()
        .filter(metric -> metric.get("name").equals("JSHeapUsedSize"))
        .mapToDouble(metric -> ((Number) metric.get("value")).doubleValue())
        .findFirst()
        .orElseThrow();
  }

  /** Sets the width and height of the window, in CSS pixels. */
  void size(int width, int height) {
    driver.manage().window().setSize(new Dimension(width, height));
  }

  /** Prefers "dark" or "light". */
  void scheme(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  void press(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  void pressEnter() {
    press(Keys.ENTER);
  }

  void pressEscape() {
    press(Keys.ESCAPE);
  }

  /** Runs a function body in the page and returns its result. */
  @SuppressWarnings("unchecked")
  public <T> T run(String script, Object... arguments) {
    return (T) driver.executeScript(script, arguments);
  }

  String text(String selector) {
    return driver.findElement(By.cssSelector(selector)).getText();
  }

  public List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** Returns a picture of the window as PNG. */
  byte[] picture() {
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
